package io.despina.descriptor;

import java.util.Collection;
import java.util.List;
import java.util.Locale;

/** What to write in place of an operator type that there is not. */
final class UnknownOperator {
    /** The name of the kind of field that holds an operator. */
    static final String KIND = "operator";

    private static final String SOURCE = "_source";
    private static final String SINK = "_sink";

    private UnknownOperator() {
    }

    /** The type that is nearest; if none is near, the types of its kind. */
    static String hint(String type, Collection<String> known) {
        String guess = Nearest.guess(type, known);
        if (guess != null) {
            return guess;
        }
        String word = type.toLowerCase(Locale.ROOT);
        String kind = word.endsWith(SINK) ? SINK : word.endsWith(SOURCE) ? SOURCE : "";
        List<String> alike = known.stream().filter(name -> name.endsWith(kind)).toList();
        return (kind.isEmpty() ? "there are " : kind.substring(1) + "s are ") + String.join(", ", alike);
    }
}
