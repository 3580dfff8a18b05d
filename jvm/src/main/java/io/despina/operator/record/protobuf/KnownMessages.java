package io.despina.operator.record.protobuf;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Messages of Protobuf's own that are read as plain values. */
final class KnownMessages {
    static final String TIMESTAMP = "google.protobuf.Timestamp";
    static final String DURATION = "google.protobuf.Duration";
    /** By message: the type of its only field, {@code value}. */
    static final Map<String, ProtoType> WRAPPERS = Map.of("google.protobuf.BoolValue", ProtoType.BOOL,
            "google.protobuf.Int32Value", ProtoType.INT32, "google.protobuf.UInt32Value", ProtoType.UINT32,
            "google.protobuf.Int64Value", ProtoType.INT64, "google.protobuf.UInt64Value", ProtoType.UINT64,
            "google.protobuf.FloatValue", ProtoType.FLOAT, "google.protobuf.DoubleValue", ProtoType.DOUBLE,
            "google.protobuf.StringValue", ProtoType.STRING, "google.protobuf.BytesValue", ProtoType.BYTES);

    private KnownMessages() {
    }

    /** What is in them, for schemas that do not bring them. */
    static List<ProtoMessage> all() {
        List<ProtoMessage> all = new ArrayList<>();
        for (String time : List.of(TIMESTAMP, DURATION)) {
            all.add(message(time, field("seconds", 1, ProtoType.INT64), field("nanos", 2, ProtoType.INT32)));
        }
        WRAPPERS.forEach((name, type) -> all.add(message(name, field("value", 1, type))));
        return all;
    }

    private static ProtoMessage message(String name, ProtoField... fields) {
        return new ProtoMessage(name, List.of(fields), false, List.of(0));
    }

    private static ProtoField field(String name, int number, ProtoType type) {
        return new ProtoField(name, number, type, "", ProtoField.Label.IMPLICIT, -1, null);
    }
}
