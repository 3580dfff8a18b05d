package io.despina.iceberg;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;

/** The columns of a stream as those of a table, and back. All may be NULL; ids are numbers of no meaning. */
final class StreamTypes {
    private static final Pattern DECIMAL = Pattern.compile("decimal\\((\\d+),\\s*(\\d+)\\)");
    private static final Map<String, Type> SIMPLE = Map.of("boolean", Types.BooleanType.get(), "integer", Types.IntegerType.get(),
            "long", Types.LongType.get(), "float", Types.FloatType.get(), "double", Types.DoubleType.get(), "string",
            Types.StringType.get(), "binary", Types.BinaryType.get(), "date", Types.DateType.get(), "timestamp",
            Types.TimestampType.withZone(), "timestamp_ntz", Types.TimestampType.withoutZone());

    private static final ObjectMapper JSON = new ObjectMapper();

    private int ids;

    private StreamTypes() {
    }

    /** @param json of Spark, whose types were looked at when the graph was checked */
    static Types.StructType of(String json) {
        try {
            return new StreamTypes().struct(JSON.readTree(json));
        } catch (JsonProcessingException impossible) {
            throw new IllegalArgumentException(json, impossible);
        }
    }

    private Types.StructType struct(JsonNode json) {
        List<Types.NestedField> fields = new ArrayList<>();
        for (JsonNode each : json.get("fields")) {
            fields.add(Types.NestedField.optional(++ids, each.get("name").asText(), type(each.get("type"))));
        }
        return Types.StructType.of(fields);
    }

    private Type type(JsonNode json) {
        if (json.isTextual()) {
            return simple(json.asText());
        }
        return switch (json.get("type").asText()) {
            case "struct" -> struct(json);
            case "array" -> Types.ListType.ofOptional(++ids, type(json.get("elementType")));
            case "map" -> Types.MapType.ofOptional(++ids, ++ids, type(json.get("keyType")), type(json.get("valueType")));
            default -> throw new IllegalArgumentException(json.toString());
        };
    }

    private static Type simple(String name) {
        Matcher decimal = DECIMAL.matcher(name);
        if (decimal.matches()) {
            return Types.DecimalType.of(Integer.parseInt(decimal.group(1)), Integer.parseInt(decimal.group(2)));
        }
        Type found = SIMPLE.get(name);
        if (found == null) {
            throw new IllegalArgumentException(name);
        }
        return found;
    }

    /** The columns of a table, as Spark's JSON. A type that Spark does not have is called as Iceberg calls it. */
    static String json(Types.StructType columns) {
        return struct(columns).toString();
    }

    private static ObjectNode struct(Types.StructType of) {
        ObjectNode struct = JSON.createObjectNode().put("type", "struct");
        ArrayNode fields = struct.putArray("fields");
        for (Types.NestedField each : of.fields()) {
            ObjectNode field = fields.addObject().put("name", each.name()).put("nullable", true);
            field.set("type", spark(each.type()));
            field.putObject("metadata");
        }
        return struct;
    }

    private static JsonNode spark(Type type) {
        if (type.isStructType()) {
            return struct(type.asStructType());
        }
        if (type.isListType()) {
            ObjectNode list = JSON.createObjectNode().put("type", "array").put("containsNull", true);
            return list.set("elementType", spark(type.asListType().elementType()));
        }
        if (type.isMapType()) {
            ObjectNode map = JSON.createObjectNode().put("type", "map").put("valueContainsNull", true);
            map.set("keyType", spark(type.asMapType().keyType()));
            return map.set("valueType", spark(type.asMapType().valueType()));
        }
        String simple = SIMPLE.entrySet().stream().filter(each -> each.getValue().equals(type)).map(Map.Entry::getKey).findFirst()
                .orElse(type.toString().replace(" ", ""));
        return TextNode.valueOf(simple);
    }

    /** Whether values are the same, whatever may be NULL. */
    static boolean isSame(Type one, Type other) {
        if (one.isStructType() && other.isStructType()) {
            List<Types.NestedField> fields = one.asStructType().fields();
            List<Types.NestedField> with = other.asStructType().fields();
            boolean same = fields.size() == with.size();
            for (int k = 0; same && k < fields.size(); k++) {
                same = lower(fields.get(k).name()).equals(lower(with.get(k).name()))
                        && isSame(fields.get(k).type(), with.get(k).type());
            }
            return same;
        }
        if (one.isListType() && other.isListType()) {
            return isSame(one.asListType().elementType(), other.asListType().elementType());
        }
        if (one.isMapType() && other.isMapType()) {
            return isSame(one.asMapType().keyType(), other.asMapType().keyType())
                    && isSame(one.asMapType().valueType(), other.asMapType().valueType());
        }
        return one.equals(other);
    }

    /** Whether something within may not be NULL; of a stream's columns everything may, but for keys of maps. */
    static boolean needsMore(Type type) {
        if (type.isStructType()) {
            return type.asStructType().fields().stream().anyMatch(each -> each.isRequired() || needsMore(each.type()));
        }
        if (type.isListType()) {
            return type.asListType().isElementRequired() || needsMore(type.asListType().elementType());
        }
        return type.isMapType() && (type.asMapType().isValueRequired() || needsMore(type.asMapType().keyType())
                || needsMore(type.asMapType().valueType()));
    }

    static String lower(String name) {
        return name.toLowerCase(Locale.ROOT);
    }

    /** Whether a column of that type can divide a table. */
    static boolean canDivide(Type type) {
        return switch (type.typeId()) {
            case STRING, BOOLEAN, INTEGER, LONG, DATE -> true;
            default -> false;
        };
    }
}
