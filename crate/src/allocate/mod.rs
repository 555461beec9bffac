//! How often each item (spec: "Allocation"): uniform, proportional, optimal.
