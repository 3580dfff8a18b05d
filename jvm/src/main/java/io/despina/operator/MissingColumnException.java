package io.despina.operator;

import java.io.IOException;
import java.util.List;

/** The file lacks a column that a source reads by name. */
public final class MissingColumnException extends IOException {
    private static final long serialVersionUID = 1L;
    private final String column;
    private final transient List<String> names;

    /** @param names of the file's columns */
    public MissingColumnException(String message, String column, List<String> names) {
        super(message);
        this.column = column;
        this.names = List.copyOf(names);
    }

    public String column() {
        return column;
    }

    public List<String> names() {
        return names;
    }
}
