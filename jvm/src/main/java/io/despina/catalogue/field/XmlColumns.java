package io.despina.catalogue.field;

import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** Which columns can be elements and attributes of XML, as Spark reads and writes them. */
final class XmlColumns {
    private static final Pattern NAME = Pattern.compile("[\\p{L}_][\\p{L}\\p{N}_.\\-]*");

    private final String attributes;
    private final String value;
    private final boolean isWritten;

    private XmlColumns(Map<String, String> given, boolean isWritten) {
        Map<String, String> options = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        options.putAll(given);
        attributes = options.getOrDefault("attributePrefix", "_");
        value = options.getOrDefault("valueTag", "_VALUE");
        this.isWritten = isWritten;
    }

    /** Why they cannot; null if they can. */
    static String problem(Schema schema, Map<String, String> options, boolean isWritten) {
        return new XmlColumns(options, isWritten).problem(schema.columns());
    }

    private String problem(List<Column> columns) {
        for (Column column : columns) {
            boolean isAttribute = column.name().startsWith(attributes) && !column.name().equals(value) && !attributes.isEmpty();
            String name = isAttribute ? column.name().substring(attributes.length()) : column.name();
            if (isWritten && !NAME.matcher(name).matches()) {
                return "XML has no name `" + name + "`: a name has letters, digits, _, - and ., and begins with a letter or _";
            }
            if (isAttribute && isNested(column.type())) {
                return "`" + column.name() + "` is an attribute, as its name begins with " + attributes + ", and cannot be "
                        + column.type().sql();
            }
            String problem = problem(column.name(), column.type());
            if (problem != null) {
                return problem;
            }
        }
        return null;
    }

    private static boolean isNested(Type type) {
        return type instanceof Type.Array || type instanceof Type.MapOf || type instanceof Type.Struct;
    }

    private String problem(String column, Type type) {
        if (type instanceof Type.Interval || type instanceof Type.Void || type instanceof Type.MapOf map
                && map.key() != Type.Simple.STRING) {
            return "format xml cannot hold column `" + column + "` of type " + type.sql();
        }
        return type instanceof Type.Array array ? problem(column, array.element())
                : type instanceof Type.MapOf map ? problem(column, map.value())
                : type instanceof Type.Struct struct ? problem(struct.fields()) : null;
    }
}
