"""Real episodes of BabyAI agents, recorded as videos, with their true outcomes."""
