package io.despina.operator.record.avro;

import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import com.github.luben.zstd.ZstdOutputStreamNoFinalizer;
import io.airlift.compress.MalformedInputException;
import io.airlift.compress.snappy.SnappyCompressor;
import io.airlift.compress.snappy.SnappyDecompressor;
import io.despina.operator.record.value.OpenBytes;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.Inflater;
import java.util.zip.InflaterInputStream;
import org.apache.commons.compress.compressors.bzip2.BZip2CompressorInputStream;
import org.apache.commons.compress.compressors.bzip2.BZip2CompressorOutputStream;
import org.tukaani.xz.LZMA2Options;
import org.tukaani.xz.XZInputStream;
import org.tukaani.xz.XZOutputStream;

/** What packs the blocks of a container file: all that Avro names, by the libraries of Spark's jars. */
public enum AvroCodec {
    NONE("null") {
        @Override
        InputStream unpacking(InputStream packed) {
            return packed;
        }

        @Override
        OutputStream packing(OutputStream packed) {
            return packed;
        }
    },
    DEFLATE("deflate") {
        @Override
        void unpack(byte[] bytes, int from, int to, OpenBytes out) throws IOException {
            Inflater inflater = new Inflater(true);
            try (InputStream in = new InflaterInputStream(new ByteArrayInputStream(bytes, from, to - from), inflater)) {
                copy(in, out);
            } finally {
                inflater.end();
            }
        }

        @Override
        void pack(byte[] bytes, int length, OutputStream out) throws IOException {
            Deflater deflater = new Deflater(Deflater.DEFAULT_COMPRESSION, true);
            try {
                DeflaterOutputStream packing = new DeflaterOutputStream(out, deflater);
                packing.write(bytes, 0, length);
                packing.finish();
            } finally {
                deflater.end();
            }
        }
    },
    /** A block of snappy has the checksum of what was packed behind it, the highest byte first. */
    SNAPPY("snappy") {
        @Override
        void unpack(byte[] bytes, int from, int to, OpenBytes out) throws IOException {
            int end = to - Integer.BYTES;
            int size = end < from ? -1 : SnappyDecompressor.getUncompressedLength(bytes, from);
            if (size < 0 || size > MOST_BYTES) {
                throw new IOException("a block of " + (to - from) + " bytes of snappy, which says that it has " + size);
            }
            byte[] plain = new byte[size];
            int found = new SnappyDecompressor().decompress(bytes, from, end - from, plain, 0, size);
            if (found != size || checksum(plain, size) != intAt(bytes, end)) {
                throw new IOException("the checksum of a block is not that of its bytes");
            }
            out.write(plain, 0, size);
        }

        @Override
        void pack(byte[] bytes, int length, OutputStream out) throws IOException {
            SnappyCompressor compressor = new SnappyCompressor();
            byte[] packed = new byte[compressor.maxCompressedLength(length)];
            out.write(packed, 0, compressor.compress(bytes, 0, length, packed, 0, packed.length));
            int sum = checksum(bytes, length);
            for (int shift = Integer.SIZE - Byte.SIZE; shift >= 0; shift -= Byte.SIZE) {
                out.write(sum >>> shift);
            }
        }
    },
    BZIP2("bzip2") {
        @Override
        InputStream unpacking(InputStream packed) throws IOException {
            return new BZip2CompressorInputStream(packed);
        }

        @Override
        OutputStream packing(OutputStream packed) throws IOException {
            return new BZip2CompressorOutputStream(packed, 1);
        }
    },
    XZ("xz") {
        @Override
        InputStream unpacking(InputStream packed) throws IOException {
            return new XZInputStream(packed, MOST_XZ_KILOBYTES);
        }

        @Override
        OutputStream packing(OutputStream packed) throws IOException {
            LZMA2Options options = new LZMA2Options();
            options.setDictSize(DICTIONARY_BYTES);
            return new XZOutputStream(packed, options);
        }
    },
    ZSTANDARD("zstandard") {
        @Override
        InputStream unpacking(InputStream packed) throws IOException {
            return new ZstdInputStreamNoFinalizer(packed);
        }

        @Override
        OutputStream packing(OutputStream packed) throws IOException {
            return new ZstdOutputStreamNoFinalizer(packed);
        }
    };

    /** The most that a block may have, packed or not. */
    public static final int MOST_BYTES = 1 << 26;
    /** For the dictionary of xz's highest level, which is 64 MB, and what is around it. */
    private static final int MOST_XZ_KILOBYTES = 65 << 10;
    private static final int COPY_BYTES = 1 << 13;
    /** More than a block that is written. */
    private static final int DICTIONARY_BYTES = 1 << 20;
    private static final String UNCOMPRESSED = "uncompressed";

    private final String name;

    AvroCodec(String name) {
        this.name = name;
    }

    /** As a file's header names it. */
    String headerName() {
        return name;
    }

    /** The codec of that name in a header; null if there is none. */
    static AvroCodec ofHeader(String name) {
        return Arrays.stream(values()).filter(codec -> codec.name.equals(name)).findFirst().orElse(null);
    }

    /** The codec that Spark's option {@code compression} names, in upper or lower case; null if it names none. */
    public static AvroCodec ofWord(String word) {
        return word.equalsIgnoreCase(UNCOMPRESSED) ? NONE
                : Arrays.stream(values()).filter(codec -> codec.name().equalsIgnoreCase(word)).findFirst().orElse(null);
    }

    /** The words of all. */
    public static List<String> words() {
        return Arrays.stream(values()).map(codec -> codec == NONE ? UNCOMPRESSED : codec.name).toList();
    }

    InputStream unpacking(InputStream packed) throws IOException {
        throw new UnsupportedOperationException(name);
    }

    OutputStream packing(OutputStream packed) throws IOException {
        throw new UnsupportedOperationException(name);
    }

    /** Adds what a block has. @throws IOException if it is damaged, or has too much */
    void unpack(byte[] bytes, int from, int to, OpenBytes out) throws IOException {
        try (InputStream in = unpacking(new ByteArrayInputStream(bytes, from, to - from))) {
            copy(in, out);
        }
    }

    /** Adds the packed bytes of a block. */
    void pack(byte[] bytes, int length, OutputStream out) throws IOException {
        OutputStream packing = packing(out);
        packing.write(bytes, 0, length);
        packing.close();
    }

    private static void copy(InputStream in, OpenBytes out) throws IOException {
        byte[] some = new byte[COPY_BYTES];
        int start = out.size();
        for (int read = in.read(some, 0, some.length); read > 0; read = in.read(some, 0, some.length)) {
            out.write(some, 0, read);
            if (out.size() - start > MOST_BYTES) {
                throw new IOException("a block of more than " + MOST_BYTES + " bytes");
            }
        }
    }

    /** Unpacks, and says all that is wrong in one way. */
    public void unpackInto(byte[] bytes, int from, int to, OpenBytes out) throws IOException {
        try {
            unpack(bytes, from, to, out);
        } catch (MalformedInputException | IndexOutOfBoundsException | IllegalArgumentException damaged) {
            throw new IOException("a block that is no " + name + ": " + damaged.getMessage(), damaged);
        }
    }

    private static int checksum(byte[] bytes, int length) {
        CRC32 sum = new CRC32();
        sum.update(bytes, 0, length);
        return (int) sum.getValue();
    }

    private static int intAt(byte[] bytes, int at) {
        int found = 0;
        for (int k = at; k < at + Integer.BYTES; k++) {
            found = found << Byte.SIZE | bytes[k] & 0xFF;
        }
        return found;
    }
}
