"""Statistics: agreement, intervals, the quality gate, accuracy of raters, times and pay."""
