package io.despina.operator.record.avro;

import io.despina.operator.record.value.BrokenRecord;
import io.despina.operator.record.value.ByteCursor;
import io.despina.operator.record.value.OpenBytes;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.apache.avro.Schema;

/**
 * What an object container file begins with:
 *
 * <pre>
 *   'O' 'b' 'j' 1   a map of names to bytes: avro.schema, avro.codec, others   16 bytes
 * </pre>
 *
 * Blocks follow: the number of records, the number of packed bytes, these, and the 16 bytes again. All numbers are variable.
 *
 * @param text   of the schema
 * @param mark   the 16 bytes
 * @param length of all that, in the file it was read from; 0 if it was not
 */
public record AvroContainer(Schema schema, String text, AvroCodec codec, byte[] mark, int length) {
    public static final int MARK_BYTES = 16;
    private static final byte[] MAGIC = {'O', 'b', 'j', 1};
    private static final String SCHEMA = "avro.schema";
    private static final String CODEC = "avro.codec";
    /** Characters of what a file says, in a message. */
    private static final int SHOWN = 100;
    private static final int FIRST_BYTES = 1 << 12;
    private static final int MOST_BYTES = 1 << 24;

    /** Gives the beginning of a file. */
    public interface FirstBytes {
        /** So many bytes, or all if the file has fewer. */
        byte[] first(int count) throws IOException;
    }

    /** A container of records of that schema. Its mark is always the same, so that blocks of one file fit another. */
    static AvroContainer of(Schema schema, AvroCodec codec) {
        String text = schema.toString();
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(codec.headerName().getBytes(StandardCharsets.UTF_8));
            byte[] mark = Arrays.copyOf(digest.digest(text.getBytes(StandardCharsets.UTF_8)), MARK_BYTES);
            return new AvroContainer(schema, text, codec, mark, 0);
        } catch (NoSuchAlgorithmException everyJavaHasIt) {
            throw new IllegalStateException(everyJavaHasIt);
        }
    }

    /** @throws AvroException if the file is none, in words for the user */
    public static AvroContainer read(FirstBytes file) throws IOException, AvroException {
        for (int count = FIRST_BYTES;; count *= 2) {
            byte[] bytes = file.first(count);
            if (!Arrays.equals(bytes, 0, Math.min(bytes.length, MAGIC.length), MAGIC, 0, MAGIC.length)) {
                throw new AvroException("it is no container file of Avro: it does not begin with Obj and 1");
            }
            try {
                return read(bytes);
            } catch (BrokenRecord early) {
                if (bytes.length < count || count >= MOST_BYTES) {
                    throw new AvroException("the header of the file is damaged or cut short: " + early.getMessage());
                }
            }
        }
    }

    private static AvroContainer read(byte[] bytes) throws AvroException {
        ByteCursor in = new ByteCursor();
        in.open(bytes, MAGIC.length, bytes.length);
        Map<String, String> named = new HashMap<>();
        for (long count = in.zigzag(); count != 0; count = in.zigzag()) {
            if (count < 0) {
                in.zigzag();        // the bytes of this part of the map
            }
            for (long k = Math.abs(count); k > 0; k--) {
                String name = text(in);
                named.put(name, text(in));
            }
        }
        int mark = in.take(MARK_BYTES);
        String text = named.get(SCHEMA);
        if (text == null) {
            throw new AvroException("the header of the file has no " + SCHEMA);
        }
        String codec = named.getOrDefault(CODEC, AvroCodec.NONE.headerName());
        AvroCodec known = AvroCodec.ofHeader(codec);
        if (known == null) {
            throw new AvroException("its blocks are packed by `" + codec.substring(0, Math.min(codec.length(), SHOWN))
                    + "`, which is none of "
                    + String.join(", ", AvroCodec.words()));
        }
        return new AvroContainer(AvroSchemas.parse(text), text, known, Arrays.copyOfRange(bytes, mark, mark + MARK_BYTES),
                in.at());
    }

    private static String text(ByteCursor in) {
        int from = in.take(in.zigzag());
        return new String(in.bytes(), from, in.at() - from, StandardCharsets.UTF_8);
    }

    /** The bytes of it. */
    public byte[] head() throws IOException {
        OpenBytes out = new OpenBytes();
        out.write(MAGIC, 0, MAGIC.length);
        AvroOut.zigzag(2, out);
        put(SCHEMA, out);
        put(text, out);
        put(CODEC, out);
        put(codec.headerName(), out);
        out.write(0);
        out.write(mark, 0, MARK_BYTES);
        return Arrays.copyOf(out.bytes(), out.size());
    }

    private static void put(String text, OutputStream out) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        AvroOut.zigzag(bytes.length, out);
        out.write(bytes);
    }

    /**
     * Writes a block.
     *
     * @param records its number of records, which are one behind the other in {@code bytes[0, length)}
     */
    public void block(long records, byte[] bytes, int length, OutputStream out) throws IOException {
        OpenBytes packed = new OpenBytes();
        codec.pack(bytes, length, packed);
        AvroOut.zigzag(records, out);
        AvroOut.zigzag(packed.size(), out);
        out.write(packed.bytes(), 0, packed.size());
        out.write(mark);
    }

    /** Whether blocks of that file may stand in this one. */
    public boolean takesBlocksOf(AvroContainer other) {
        return text.equals(other.text) && codec == other.codec && Arrays.equals(mark, other.mark);
    }
}
