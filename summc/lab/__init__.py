"""What researchers do with the method: data sets, evaluation, experiments."""
