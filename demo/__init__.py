"""Real episodes for the demonstration: BabyAI agents at work, filmed, with their true outcomes."""
