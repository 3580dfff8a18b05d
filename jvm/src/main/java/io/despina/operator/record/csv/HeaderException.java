package io.despina.operator.record.csv;

import java.io.IOException;

/** A CSV header that does not fit the schema. What its reader can do about it depends on who reads. */
public final class HeaderException extends IOException {
    private static final long serialVersionUID = 1L;
    private static final String NAMES = "; write the schema with the header's names in its order; or ";
    private static final String IGNORE = "ignore the header: add \"enforceSchema\": \"true\" to the options";

    private final String problem;

    private HeaderException(String problem, String advice) {
        super(problem + NAMES + advice);
        this.problem = problem;
    }

    /** Of a {@code file_source}. */
    public static HeaderException ofSource(String problem) {
        return new HeaderException(problem, "find columns by name: add \"columns_by\": \"name\"; or " + IGNORE);
    }

    /** The same for another reader, which does not find columns by name. */
    public HeaderException withoutNames() {
        return new HeaderException(problem, IGNORE);
    }
}
