//! Versions, builds, and a plan carried out call by call.
