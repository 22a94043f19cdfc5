//! Where calls are carried out.
