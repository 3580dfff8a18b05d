package io.despina.operator.record.protobuf;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/**
 * The value of a field that is not there.
 *
 * @param number as it is read of a record
 * @param bytes  of a text, or of bytes
 */
record ProtoLiteral(long number, byte[] bytes) {
    /** Zero, false, or an empty text. */
    static final ProtoLiteral ZERO = new ProtoLiteral(0, new byte[0]);

    private static final String ESCAPES = "abfnrtv";
    private static final String ESCAPED = "\u0007\b\f\n\r\t\u000b";
    private static final int OCTAL = 8;
    private static final int HEX = 16;

    /** That of a descriptor file. @param symbols of an enum; else null */
    static ProtoLiteral of(ProtoField field, ProtoEnum symbols) throws ProtobufException {
        String text = field.otherwise();
        try {
            return switch (field.type()) {
                case STRING -> new ProtoLiteral(0, text.getBytes(StandardCharsets.UTF_8));
                case BYTES -> new ProtoLiteral(0, unescaped(text));
                case ENUM -> new ProtoLiteral(symbols.number(text), ZERO.bytes);
                case BOOL -> new ProtoLiteral(text.equals("true") ? 1 : 0, ZERO.bytes);
                case DOUBLE -> new ProtoLiteral(Double.doubleToRawLongBits(Double.parseDouble(java(text))), ZERO.bytes);
                case FLOAT -> new ProtoLiteral(Float.floatToRawIntBits(Float.parseFloat(java(text))), ZERO.bytes);
                case UINT64, FIXED64 -> new ProtoLiteral(Long.parseUnsignedLong(text), ZERO.bytes);
                case INT32, SINT32, SFIXED32 -> new ProtoLiteral(Integer.parseInt(text), ZERO.bytes);
                case UINT32, FIXED32 -> new ProtoLiteral(Integer.toUnsignedLong(Integer.parseUnsignedInt(text)), ZERO.bytes);
                default -> new ProtoLiteral(Long.parseLong(text), ZERO.bytes);
            };
        } catch (NumberFormatException | NullPointerException | StringIndexOutOfBoundsException none) {
            throw new ProtobufException("`" + field.name() + "` has a default that is none: " + text);
        }
    }

    private static String java(String text) {
        return text.replace("inf", "Infinity").replace("nan", "NaN");
    }

    /** Of what protoc writes: ASCII, and escapes as in C. */
    private static byte[] unescaped(String text) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        int k = 0;
        while (k < text.length()) {
            char c = text.charAt(k++);
            if (c != '\\') {
                bytes.write(c);
                continue;
            }
            char escape = text.charAt(k++);
            if (escape >= '0' && escape < '0' + OCTAL) {
                bytes.write(Integer.parseInt(text.substring(k - 1, k + 2), OCTAL));
                k += 2;
            } else if (escape == 'x') {
                bytes.write(Integer.parseInt(text.substring(k, k + 2), HEX));
                k += 2;
            } else {
                int known = ESCAPES.indexOf(escape);
                bytes.write(known < 0 ? escape : ESCAPED.charAt(known));
            }
        }
        return bytes.toByteArray();
    }
}
