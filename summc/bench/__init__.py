"""How fast summc is, as ratios taken in one run: machines differ and are noisy, one run less so."""
