"""What all pictures share: the look, the points, the marks, the words, and what a picture is."""
