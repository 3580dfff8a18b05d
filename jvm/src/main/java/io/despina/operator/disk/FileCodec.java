package io.despina.operator.disk;

import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import com.github.luben.zstd.ZstdOutputStreamNoFinalizer;
import io.airlift.compress.lz4.Lz4Decompressor;
import io.airlift.compress.lz4.Lz4HadoopStreams;
import io.airlift.compress.snappy.SnappyDecompressor;
import io.airlift.compress.snappy.SnappyHadoopStreams;
import io.despina.spec.FileFormat;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;
import org.apache.commons.compress.compressors.bzip2.BZip2CompressorInputStream;
import org.apache.commons.compress.compressors.bzip2.BZip2CompressorOutputStream;
import org.apache.commons.compress.compressors.gzip.GzipCompressorInputStream;

/**
 * The codecs of packed files: those of Spark, found by the ending of the file's name as Spark does, in upper or lower case. The
 * libraries are those of Spark's jars; none of them loads Spark or Hadoop. What is appended as a packed file of its own is read
 * as if it were one file.
 */
public enum FileCodec {
    GZIP(1 << 16, "gz", "gzip") {
        @Override
        public InputStream unpacked(InputStream packed, int bufferBytes) throws IOException {
            // Java's own stream takes a damaged second member for the end of the file
            return GzipCompressorInputStream.builder().setInputStream(packed).setBufferSize(bufferBytes)
                    .setDecompressConcatenated(true).get();
        }

        @Override
        public OutputStream packer(OutputStream packed) throws IOException {
            return new GZIPOutputStream(packed);
        }
    },
    BZIP2(5 << 20, "bz2") {
        @Override
        public InputStream unpacked(InputStream packed, int bufferBytes) throws IOException {
            return new BZip2CompressorInputStream(packed, true);
        }

        @Override
        public OutputStream packer(OutputStream packed) throws IOException {
            return new BZip2CompressorOutputStream(packed);
        }
    },
    ZSTD(8 << 20, "zst", "zstd") {
        @Override
        public InputStream unpacked(InputStream packed, int bufferBytes) throws IOException {
            return new ZstdInputStreamNoFinalizer(packed);
        }

        @Override
        public OutputStream packer(OutputStream packed) throws IOException {
            return new ZstdOutputStreamNoFinalizer(packed).setChecksum(true);
        }
    },
    DEFLATE(1 << 16, "deflate") {
        @Override
        public InputStream unpacked(InputStream packed, int bufferBytes) throws IOException {
            return new DeflateInput(packed, bufferBytes);
        }

        @Override
        public OutputStream packer(OutputStream packed) throws IOException {
            return new DeflaterOutputStream(packed);
        }
    },
    LZ4(1 << 19, "lz4") {
        @Override
        public InputStream unpacked(InputStream packed, int bufferBytes) throws IOException {
            return new HadoopBlocks(new BufferedInputStream(packed, bufferBytes), new Lz4Decompressor());
        }

        @Override
        public OutputStream packer(OutputStream packed) throws IOException {
            return new Lz4HadoopStreams().createOutputStream(packed);
        }
    },
    SNAPPY(1 << 19, "snappy") {
        @Override
        public InputStream unpacked(InputStream packed, int bufferBytes) throws IOException {
            return new HadoopBlocks(new BufferedInputStream(packed, bufferBytes), new SnappyDecompressor());
        }

        @Override
        public OutputStream packer(OutputStream packed) throws IOException {
            return new SnappyHadoopStreams().createOutputStream(packed);
        }
    };

    private static final List<FileCodec> ALL = List.of(values());

    private final int heldBytes;
    private final List<String> endings;

    FileCodec(int heldBytes, String... endings) {
        this.heldBytes = heldBytes;
        this.endings = List.of(endings);
    }

    /** The unpacked bytes of a whole file. It reads as it is read from; no more than a block is in memory. */
    public abstract InputStream unpacked(InputStream packed, int bufferBytes) throws IOException;

    /** Packs what is written to it; closing it writes the end. */
    public abstract OutputStream packer(OutputStream packed) throws IOException;

    /** The codec of the file of that name; null if the name does not say that it is packed. */
    public static FileCodec ofFile(String name) {
        int dot = name.lastIndexOf('.');
        String ending = dot < 0 ? "" : name.substring(dot + 1).toLowerCase(Locale.ROOT);
        return ALL.stream().filter(codec -> codec.endings.contains(ending)).findFirst().orElse(null);
    }

    /** What packs files of a format that are written with these options; null for nothing. */
    public static FileCodec of(FileFormat format, Map<String, String> options) {
        return format.isPackedWithin() ? null : options.entrySet().stream().filter(option -> isOption(option.getKey()))
                .map(option -> ofWord(option.getValue())).filter(Objects::nonNull).findFirst().orElse(null);
    }

    /** Whether an option of that name says how files are packed. */
    public static boolean isOption(String name) {
        return name.equalsIgnoreCase("compression") || name.equalsIgnoreCase("codec");
    }

    /** The codec that Spark's option {@code compression} names, in upper or lower case; null if it names none. */
    public static FileCodec ofWord(String word) {
        return ALL.stream().filter(codec -> codec.word().equalsIgnoreCase(word)).findFirst().orElse(null);
    }

    /** The words of all. */
    public static List<String> words() {
        return Arrays.stream(values()).map(FileCodec::word).toList();
    }

    /** As the option {@code compression} names it. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The ending of file names, without the dot. */
    public String ending() {
        return endings.get(0);
    }

    /** Memory that an open file takes, about: for zstd with the window of its usual levels. */
    public int heldBytes() {
        return heldBytes;
    }

    /** Whether unpacking a block takes so long that it would hold up a worker: 900 KB at some 20 MB/s. */
    public boolean isSlow() {
        return this == BZIP2;
    }
}
