package io.despina.operator.database;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A text that is not in the graph: it is read where the operator runs, each time that it is needed.
 *
 * @param where what {@code name} is
 * @param name  the text itself, or where it stands
 */
public record DatabaseSecret(Where where, String name) {

    /** Where it stands. */
    public enum Where {
        /** In the graph after all, as a user's name may. */
        HERE,
        /** In a variable of the process's environment. */
        ENVIRONMENT,
        /** In a file, whose last line end does not count. */
        FILE
    }

    /** @throws IOException if it is not there */
    public String read() throws IOException {
        return switch (where) {
            case HERE -> name;
            case ENVIRONMENT -> {
                String value = System.getenv(name);
                if (value == null) {
                    throw new IOException("the environment of this resource has no variable " + name);
                }
                yield value;
            }
            case FILE -> Files.readString(Path.of(name)).replaceFirst("\\R\\z", "");
        };
    }
}
