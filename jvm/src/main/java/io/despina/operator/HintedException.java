package io.despina.operator;

import java.io.IOException;
import java.util.List;

/** Something outside is not as the graph says, and there is something to do about it. */
public final class HintedException extends IOException {
    private static final long serialVersionUID = 1L;
    private final String hint;
    private final String name;
    private final transient List<String> known;

    /** @param hint what to do */
    public HintedException(String message, String hint, Throwable cause) {
        this(message, hint, new Missing("", List.of()), cause);
    }

    /** Something is missing. @param hint what to do, where none of those that are there has a name like it */
    public HintedException(String message, String hint, Missing missing, Throwable cause) {
        super(message, cause);
        this.hint = hint;
        name = missing.name;
        known = missing.known;
    }

    /**
     * What is missing.
     *
     * @param known the names of those that are there
     */
    public record Missing(String name, List<String> known) {
        public Missing {
            known = List.copyOf(known);
        }
    }

    public String hint() {
        return hint;
    }

    public String name() {
        return name;
    }

    public List<String> known() {
        return known;
    }
}
