; Everything comes from the language it inherits; a component is a function like any other.
