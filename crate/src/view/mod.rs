//! What a lab shows, thinned to what pixels can show.
