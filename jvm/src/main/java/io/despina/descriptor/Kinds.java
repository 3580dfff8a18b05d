package io.despina.descriptor;

import java.util.Locale;

/** Questions about kinds that every reader of the declarations asks. */
final class Kinds {
    private Kinds() {
    }

    /** The kind itself, where it is named by a {@link Kind.Later}. */
    static Kind resolve(Kind kind) {
        return kind instanceof Kind.Later later ? later.kind().get() : kind;
    }

    /** What is wanted, with an article, for messages. */
    static String what(Kind kind) {
        Kind resolved = resolve(kind);
        if (resolved instanceof Kind.Whole) {
            return "a whole number";
        }
        if (resolved instanceof Kind.Real) {
            return "a number";
        }
        if (resolved instanceof Kind.Flag) {
            return "true or false";
        }
        if (resolved instanceof Kind.Expression) {
            return "an expression: a string or an array of lines";
        }
        if (resolved instanceof Kind.ListOf) {
            return "an array";
        }
        return resolved instanceof Kind.Fields || resolved instanceof Kind.MapOf || resolved instanceof Kind.Variant
                ? "an object" : "a string";
    }

    /** Both limits, for whoever is beyond one of them. */
    static String bounds(Kind.Whole whole) {
        return whole.min() == whole.max() ? limits(whole) : whole.min() + " to " + whole.max();
    }

    static String bounds(Kind.Real real) {
        return limits(real) + ", at most " + Double.MAX_VALUE;
    }

    /** The limits in words, for the reference; empty if there are none worth saying. */
    static String limits(Kind.Whole whole) {
        boolean low = whole.min() > Long.MIN_VALUE / 1000;
        boolean high = whole.max() < Long.MAX_VALUE / 1000;
        if (low && high) {
            return whole.min() == whole.max() ? "exactly " + whole.min() : whole.min() + " to " + whole.max();
        }
        return low ? "at least " + whole.min() : high ? "at most " + whole.max() : "";
    }

    static String limits(Kind.Real real) {
        String bound = real.min() == Math.rint(real.min()) ? String.format(Locale.ROOT, "%.0f", real.min()) : "" + real.min();
        return real.minExcluded() ? "more than " + bound : "at least " + bound;
    }
}
