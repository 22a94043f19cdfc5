"""Times ruptures' PELT with the normal cost on one series.

    python pelt_speed.py FILE

The first line of FILE is the penalty, the others are the values. Prints `ruptures_pelt SECONDS s` and `ends N N ...`,
the ends of segments. jump=1 and min_size=2, as ours; the penalty is per change, the cost n ln(variance) up to a constant.
"""

import sys
import time

import numpy as np
import ruptures

lines = open(sys.argv[1]).read().split()
penalty, values = float(lines[0]), np.array([float(line) for line in lines[1:]])
begin = time.process_time()
algorithm = ruptures.Pelt(custom_cost=ruptures.costs.CostNormal(add_small_diag=False), min_size=2, jump=1)
ends = algorithm.fit(values).predict(pen=penalty)
print(f"ruptures_pelt {time.process_time() - begin} s")
print("ends", *ends)
