"""Commands about rulesets: tables, proofs, lists, new rulesets."""
