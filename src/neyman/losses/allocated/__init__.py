"""One of many steps, chosen at random for each record, with Gaussian noise: a law that is no product of steps."""
