package io.despina.operator.record.protobuf;

import java.util.Locale;

/** What a field holds, in the order of the numbers that descriptor.proto gives the types, from 1 on. */
enum ProtoType {
    DOUBLE(ProtoWire.EIGHT), FLOAT(ProtoWire.FOUR), INT64(ProtoWire.VARINT), UINT64(ProtoWire.VARINT), INT32(ProtoWire.VARINT),
    FIXED64(ProtoWire.EIGHT), FIXED32(ProtoWire.FOUR), BOOL(ProtoWire.VARINT), STRING(ProtoWire.BYTES), GROUP(ProtoWire.GROUP),
    MESSAGE(ProtoWire.BYTES), BYTES(ProtoWire.BYTES), UINT32(ProtoWire.VARINT), ENUM(ProtoWire.VARINT),
    SFIXED32(ProtoWire.FOUR), SFIXED64(ProtoWire.EIGHT), SINT32(ProtoWire.VARINT), SINT64(ProtoWire.VARINT);

    /** How its values are written where they are not packed. */
    final int wire;

    ProtoType(int wire) {
        this.wire = wire;
    }

    /** @return null for a number that is none */
    static ProtoType of(long number) {
        return number < 1 || number > values().length ? null : values()[(int) number - 1];
    }

    boolean isMessage() {
        return this == MESSAGE || this == GROUP;
    }

    /** Whether its values are numbers, which a list may have one behind the other without tags. */
    boolean canPack() {
        return wire != ProtoWire.BYTES && wire != ProtoWire.GROUP;
    }

    /** Whether its numbers may be beyond a signed one of 64 bits. */
    boolean isUnsigned64() {
        return this == UINT64 || this == FIXED64;
    }

    /** Whether its values are whole numbers. */
    boolean isInteger() {
        return canPack() && this != DOUBLE && this != FLOAT && this != BOOL && this != ENUM;
    }

    String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
