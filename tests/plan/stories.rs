//! Plans that an operator would write on paper.
