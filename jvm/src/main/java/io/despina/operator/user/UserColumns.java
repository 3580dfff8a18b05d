package io.despina.operator.user;

import io.despina.api.Columns;
import io.despina.packet.Schema;
import io.despina.packet.Type;

/** A schema as the user's class sees it, with the method that reads or sets each column. */
final class UserColumns implements Columns {

    /** The methods, with their names for messages. */
    enum Accessor {
        BOOLEAN("Boolean"), BYTE("Byte"), SHORT("Short"), INT("Int"), LONG("Long"), FLOAT("Float"), DOUBLE("Double"),
        DECIMAL("Decimal"), STRING("String"), BINARY("Bytes"), COPY("");

        private final String method;

        Accessor(String method) {
            this.method = method;
        }

        private String methods() {
            return "get" + method + " or set" + method;
        }

        private static Accessor of(Type type) {
            if (type instanceof Type.Decimal) {
                return DECIMAL;
            }
            Type stored = type instanceof Type.Interval ? type.stored() : type;
            if (!(stored instanceof Type.Simple simple)) {
                return COPY;
            }
            return switch (simple) {
                case BOOLEAN -> BOOLEAN;
                case TINYINT -> BYTE;
                case SMALLINT -> SHORT;
                case INT, DATE -> INT;
                case BIGINT, TIMESTAMP, TIMESTAMP_NTZ -> LONG;
                case FLOAT -> FLOAT;
                case DOUBLE -> DOUBLE;
                case STRING -> STRING;
                case BINARY -> BINARY;
            };
        }
    }

    private final Schema schema;
    private final Accessor[] access;

    UserColumns(Schema schema) {
        this.schema = schema;
        access = schema.columns().stream().map(column -> Accessor.of(column.type())).toArray(Accessor[]::new);
    }

    Type typeOf(int column) {
        return schema.column(column).type();
    }

    /** @throws IllegalArgumentException if a method for {@code wanted} does not fit the column */
    void check(int column, Accessor wanted) {
        if (access[column] != wanted) {
            throw mismatch(column, wanted);
        }
    }

    /** The same for the methods that take bytes, of a STRING too. */
    void checkBytes(int column) {
        if (access[column] != Accessor.STRING) {
            check(column, Accessor.BINARY);
        }
    }

    private IllegalArgumentException mismatch(int column, Accessor wanted) {
        String fits = access[column] == Accessor.COPY ? "it can only be copied" : "use " + access[column].methods();
        return new IllegalArgumentException("column `" + name(column) + "` is " + type(column) + ", not for " + wanted.methods()
                + ": " + fits);
    }

    @Override
    public int size() {
        return schema.size();
    }

    @Override
    public String name(int column) {
        return schema.column(column).name();
    }

    @Override
    public int index(String name) {
        int found = schema.indexOf(name);
        if (found < 0) {
            throw new IllegalArgumentException("there is no column `" + name + "` among " + String.join(", ", schema.names()));
        }
        return found;
    }

    @Override
    public String type(int column) {
        return typeOf(column).sql();
    }

    @Override
    public boolean isNullable(int column) {
        return schema.column(column).nullable();
    }
}
