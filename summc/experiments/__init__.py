"""What reproduces the paper's figures, and goes beyond them."""
