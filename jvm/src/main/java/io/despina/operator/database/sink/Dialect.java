package io.despina.operator.database.sink;

import io.despina.packet.Type;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** What databases say in different words. */
enum Dialect {
    POSTGRESQL, SQLITE, MYSQL, STANDARD;

    /** Names that need no quotes have none in what an administrator reads. */
    private static final String PLAIN = "[a-z_][a-z0-9_]*";

    static Dialect of(Connection connection) throws SQLException {
        String name = connection.getMetaData().getDatabaseProductName().toLowerCase(Locale.ROOT);
        return name.equals("postgresql") ? POSTGRESQL : name.equals("sqlite") ? SQLITE
                : name.equals("mysql") || name.equals("mariadb") ? MYSQL : STANDARD;
    }

    /** Whether it has NaN, infinities, and years before 1 and behind 9999. */
    boolean holdsAll() {
        return this == POSTGRESQL;
    }

    /** Whether `EXPLAIN` before a statement says what is wrong with it, and does not execute it. */
    boolean explains() {
        return this == POSTGRESQL || this == SQLITE;
    }

    /** A parameter, or a word in its place, for a column whose type the driver does not know. */
    String cast(String value, TargetTable.Target column) {
        boolean needed = this == STANDARD || this == POSTGRESQL && column.isOther();
        return needed ? "CAST(" + value + " AS " + column.typeName() + ")" : value;
    }

    String insert(TargetTable to, String value) {
        return "INSERT INTO " + to.name() + " (" + names(to.columns()) + ") VALUES (" + to.columns().stream()
                .map(each -> this == STANDARD ? value : cast(value, each)).collect(Collectors.joining(", ")) + ")";
    }

    /** Puts a row in the place of the one with its keys. */
    String upsert(TargetTable to, String value) {
        List<TargetTable.Target> rest = to.columns().stream().filter(each -> !each.isKey()).toList();
        if (this == STANDARD) {
            return merge(to, value, rest);
        }
        if (this == MYSQL) {
            return insert(to, value) + " ON DUPLICATE KEY UPDATE " + (rest.isEmpty() ? to.columns() : rest).stream()
                    .map(each -> each.quoted() + " = VALUES(" + each.quoted() + ")").collect(Collectors.joining(", "));
        }
        return insert(to, value) + " ON CONFLICT (" + names(to.keys()) + ") DO " + (rest.isEmpty() ? "NOTHING"
                : "UPDATE SET " + rest.stream().map(each -> each.quoted() + " = EXCLUDED." + each.quoted())
                        .collect(Collectors.joining(", ")));
    }

    private String merge(TargetTable to, String value, List<TargetTable.Target> rest) {
        String given = to.columns().stream().map(each -> cast(value, each)).collect(Collectors.joining(", "));
        String updates = rest.stream().map(each -> each.quoted() + " = s." + each.quoted()).collect(Collectors.joining(", "));
        return "MERGE INTO " + to.name() + " t USING (VALUES (" + given + ")) s (" + names(to.columns()) + ") ON ("
                + to.keys().stream().map(each -> "t." + each.quoted() + " = s." + each.quoted())
                        .collect(Collectors.joining(" AND "))
                + (rest.isEmpty() ? ")" : ") WHEN MATCHED THEN UPDATE SET " + updates)
                + " WHEN NOT MATCHED THEN INSERT (" + names(to.columns()) + ") VALUES ("
                + to.columns().stream().map(each -> "s." + each.quoted()).collect(Collectors.joining(", ")) + ")";
    }

    String delete(TargetTable to) {
        return "DELETE FROM " + to.name() + " WHERE " + to.keys().stream().map(each -> each.quoted() + " = " + cast("?", each))
                .collect(Collectors.joining(" AND "));
    }

    private static String names(List<TargetTable.Target> columns) {
        return columns.stream().map(TargetTable.Target::quoted).collect(Collectors.joining(", "));
    }

    /** A name as it stands in a statement for people. */
    static String shown(String name) {
        return name.matches(PLAIN) ? name : '"' + name.replace("\"", "\"\"") + '"';
    }

    /** The type of a column for values of that type, for a table that an administrator makes. */
    String type(Type type) {
        if (type instanceof Type.Decimal decimal) {
            return "NUMERIC(" + decimal.precision() + ", " + decimal.scale() + ")";
        }
        boolean postgres = this == POSTGRESQL;
        return switch ((Type.Simple) type) {
            case BOOLEAN -> "BOOLEAN";
            case TINYINT, SMALLINT -> "SMALLINT";
            case INT -> "INTEGER";
            case BIGINT -> "BIGINT";
            case FLOAT -> "REAL";
            case DOUBLE -> "DOUBLE PRECISION";
            case STRING -> postgres || this == SQLITE ? "TEXT" : "VARCHAR(1000)";
            case BINARY -> postgres ? "BYTEA" : this == STANDARD ? "VARBINARY(1000)" : "BLOB";
            case DATE -> "DATE";
            case TIMESTAMP -> postgres || this == STANDARD ? "TIMESTAMP WITH TIME ZONE" : "TIMESTAMP";
            case TIMESTAMP_NTZ -> "TIMESTAMP";
        };
    }
}
