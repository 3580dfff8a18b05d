package io.despina.json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.BinaryNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.DoubleNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.LongNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.HdrHistogram.Histogram;

/**
 * Converts records to JSON objects, component by component, and back. A generic mapper would take a tenth of a second for its
 * first messages, in every JVM of a starting job (docs/design/007).
 */
public final class RecordJson {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    /** Large enough for any histogram, which is hundreds of kilobytes. Only one thread reports. */
    private static final ThreadLocal<ByteBuffer> ROOM = ThreadLocal.withInitial(() -> ByteBuffer.allocate(0));

    private static final ClassValue<Shape> SHAPES = new ClassValue<>() {
        @Override
        protected Shape computeValue(Class<?> type) {
            return Shape.of(type);
        }
    };

    private record Field(String name, Type type, Method accessor) {
    }

    /** What reflection says of a record's class: each time that it is asked it works that out anew. */
    private record Shape(List<Field> fields, Constructor<?> constructor) {
        private static Shape of(Class<?> type) {
            List<Field> fields = new ArrayList<>();
            for (RecordComponent component : type.getRecordComponents()) {
                component.getAccessor().setAccessible(true);
                fields.add(new Field(component.getName(), component.getGenericType(), component.getAccessor()));
            }
            try {
                Constructor<?> constructor = type.getDeclaredConstructor(
                        Arrays.stream(type.getRecordComponents()).map(RecordComponent::getType).toArray(Class<?>[]::new));
                constructor.setAccessible(true);
                return new Shape(fields, constructor);
            } catch (NoSuchMethodException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private RecordJson() {
    }

    /** @throws IllegalArgumentException if it is or contains a type that no message has */
    public static JsonNode write(Object value) {
        if (value == null) {
            return NullNode.instance;
        } else if (value instanceof String text) {
            return TextNode.valueOf(text);
        } else if (value instanceof Long number) {
            return LongNode.valueOf(number);
        } else if (value instanceof Integer number) {
            return IntNode.valueOf(number);
        } else if (value instanceof Double number) {
            return DoubleNode.valueOf(number);
        } else if (value instanceof Boolean flag) {
            return BooleanNode.valueOf(flag);
        } else if (value instanceof byte[] bytes) {
            return BinaryNode.valueOf(bytes);
        } else if (value instanceof JsonNode node) {
            return node;
        } else if (value instanceof Histogram histogram) {
            return BinaryNode.valueOf(bytes(histogram));
        } else if (value instanceof Collection<?> items) {
            ArrayNode array = NODES.arrayNode(items.size());
            items.forEach(item -> array.add(write(item)));
            return array;
        } else if (value instanceof Map<?, ?> map) {
            ObjectNode object = NODES.objectNode();
            map.forEach((key, each) -> object.set((String) key, write(each)));
            return object;
        } else if (value instanceof Record fields) {
            return object(fields);
        }
        throw new IllegalArgumentException("no JSON form: " + value.getClass().getName());
    }

    public static ObjectNode object(Record fields) {
        ObjectNode object = NODES.objectNode();
        for (Field each : SHAPES.get(fields.getClass()).fields) {
            try {
                object.set(each.name, write(each.accessor.invoke(fields)));
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(e);
            }
        }
        return object;
    }

    /** @throws IllegalArgumentException if the node has another form, or the record refuses it */
    public static <T> T read(JsonNode node, Class<T> type) {
        return type.cast(value(node, type));
    }

    private static Object value(JsonNode node, Type type) {
        if (type instanceof ParameterizedType generic) {
            return node.isNull() ? null : container(node, generic);
        } else if (type == JsonNode.class) {
            return node;
        } else if (type == long.class || type == Long.class) {
            return expect(node.isIntegralNumber() && node.canConvertToLong(), node, type).longValue();
        } else if (type == int.class) {
            return expect(node.isIntegralNumber() && node.canConvertToInt(), node, type).intValue();
        } else if (type == double.class) {
            return expect(node.isNumber(), node, type).doubleValue();
        } else if (type == boolean.class) {
            return expect(node.isBoolean(), node, type).booleanValue();
        } else if (node.isNull()) {
            return null;
        } else if (type == String.class) {
            return expect(node.isTextual(), node, type).textValue();
        } else if (type == byte[].class) {
            return binary(node);
        } else if (type == Histogram.class) {
            return histogram(binary(node));
        }
        return made(expect(node.isObject(), node, type), (Class<?>) type);
    }

    private static JsonNode expect(boolean is, JsonNode node, Type type) {
        if (!is) {
            throw new IllegalArgumentException("a " + node.getNodeType() + " is no " + type.getTypeName());
        }
        return node;
    }

    private static Object container(JsonNode node, ParameterizedType type) {
        Type[] of = type.getActualTypeArguments();
        if (type.getRawType() == Map.class) {
            Map<String, Object> map = new LinkedHashMap<>();
            expect(node.isObject(), node, type).properties().forEach(e -> map.put(e.getKey(), value(e.getValue(), of[1])));
            return map;
        }
        List<Object> items = new ArrayList<>();
        expect(node.isArray(), node, type).forEach(item -> items.add(value(item, of[0])));
        return type.getRawType() == Set.class ? new HashSet<>(items) : items;
    }

    private static Object made(JsonNode node, Class<?> type) {
        Shape shape = SHAPES.get(type);
        Object[] values = new Object[shape.fields.size()];
        for (int k = 0; k < values.length; k++) {
            Field of = shape.fields.get(k);
            JsonNode field = node.get(of.name);
            if (field == null) {
                throw new IllegalArgumentException(type.getSimpleName() + " without " + of.name);
            }
            values[k] = value(field, of.type);
        }
        try {
            return shape.constructor.newInstance(values);
        } catch (InvocationTargetException e) {
            throw new IllegalArgumentException(type.getSimpleName() + ": " + e.getCause(), e);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static byte[] binary(JsonNode node) {
        try {
            byte[] bytes = node.binaryValue();
            expect(bytes != null, node, byte[].class);
            return bytes;
        } catch (IOException e) {
            throw new IllegalArgumentException("no base 64: " + e.getMessage(), e);
        }
    }

    /** In the histogram's own form, in which empty counts take almost no bytes. */
    private static byte[] bytes(Histogram histogram) {
        ByteBuffer room = ROOM.get();
        if (room.capacity() < histogram.getNeededByteBufferCapacity()) {
            room = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
            ROOM.set(room);
        }
        room.clear();
        return Arrays.copyOf(room.array(), histogram.encodeIntoByteBuffer(room));
    }

    private static Histogram histogram(byte[] bytes) {
        try {
            return Histogram.decodeFromByteBuffer(ByteBuffer.wrap(bytes), 0);
        } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException | BufferUnderflowException e) {
            throw new IllegalArgumentException("malformed histogram", e);
        }
    }
}
