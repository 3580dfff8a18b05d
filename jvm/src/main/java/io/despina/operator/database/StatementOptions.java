package io.despina.operator.database;

import java.util.List;

/**
 * A statement for a database.
 *
 * @param sql        with a question mark for each parameter
 * @param parameters by question mark, the ordinal of the column that it stands for
 */
public record StatementOptions(DatabaseOptions database, String sql, List<Integer> parameters) {
    public StatementOptions {
        parameters = List.copyOf(parameters);
    }

    int[] columns() {
        return parameters.stream().mapToInt(Integer::intValue).toArray();
    }
}
