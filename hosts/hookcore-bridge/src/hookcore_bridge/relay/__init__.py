"""The parts that a proxy over HTTP is made of, whatever it carries."""
