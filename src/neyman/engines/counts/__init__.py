"""Sums over how often something rare happens: participations, rare outcomes."""
