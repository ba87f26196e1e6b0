"""A parser of commands that was learnt: which tree a command has, and which of its words fill the tree's holes.

A form is its skeleton, which is the form with a hole in place of every span, and the spans. One linear model chooses
among the skeletons that it has seen; another gives each word a weight for each kind of hole, and the words of greatest
weight fill the holes. `learning/trainers/` fits these models; here they are read and used, with numpy alone.
"""
