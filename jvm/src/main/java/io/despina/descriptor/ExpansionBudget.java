package io.despina.descriptor;

/**
 * What may come out of parts, which double it quickly where parts use parts. It is spent before the memory is. Once something is
 * too much, which is reported once, nothing more may come.
 */
final class ExpansionBudget {
    /** Parts within parts. */
    static final int MOST_DEPTH = 64;
    /** Operators, and uses of parts. */
    private static final int MOST_OPERATORS = 10_000;
    /** Values of JSON in parts, once for each use. */
    private static final int MOST_VALUES = 500_000;
    /** Of texts with their parameters filled in. */
    private static final int MOST_CHARACTERS = 16 << 20;
    /** Ends of links that lead into parts. */
    private static final int MOST_ENDS = 200_000;

    private final Diagnostics diagnostics;
    private long operators;
    private long values;
    private long characters;
    private long ends;
    private boolean isFull;

    ExpansionBudget(Diagnostics diagnostics) {
        this.diagnostics = diagnostics;
    }

    boolean isFull() {
        return isFull;
    }

    /** @return whether it is too much, as of the other methods */
    boolean addOperators(int more, Place place) {
        operators += more;
        return check(operators > MOST_OPERATORS, place, "more than " + MOST_OPERATORS + " operators and uses of parts");
    }

    boolean addValue(Place place) {
        values++;
        return check(values > MOST_VALUES, place, "more than " + MOST_VALUES + " values in its parts");
    }

    /** One text, with its parameters filled in. */
    boolean addText(int length, Place place) {
        characters += length;
        return check(length > Parameters.MOST_CHARACTERS, place, "a text of more than " + Parameters.MOST_CHARACTERS
                + " characters") || check(characters > MOST_CHARACTERS, place, "texts of more than " + MOST_CHARACTERS
                + " characters");
    }

    boolean addEnd(Place place) {
        ends++;
        return check(ends > MOST_ENDS, place, "more than " + MOST_ENDS + " ends of links at parts");
    }

    private boolean check(boolean over, Place place, String what) {
        if (over && !isFull) {
            isFull = true;
            diagnostics.error(place, Rule.OUT_OF_RANGE, "with this the graph has " + what, null);
        }
        return isFull;
    }
}
