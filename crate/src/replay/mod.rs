//! Plans at work: Monte Carlo.
