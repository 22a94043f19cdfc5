//! Carry out one call on this machine.
