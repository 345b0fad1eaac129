"""The words and rules of Sayso. Pure: no await, no clock, no environment, no framework."""
