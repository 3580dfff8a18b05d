package io.despina.operator.sink.file;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What packs the pages of a parquet file. Spark's other codecs need libraries that its jars do not have. */
public enum ParquetCodec {
    NONE(""), UNCOMPRESSED(""), SNAPPY("snappy."), GZIP("gz."), ZSTD("zstd."), LZ4_RAW("lz4raw.");

    /** The ending of all parquet files. */
    static final String PARQUET = "parquet";

    private final String beginning;

    ParquetCodec(String beginning) {
        this.beginning = beginning;
    }

    /** The codec that the option {@code compression} names, in upper or lower case; null if it names none. */
    public static ParquetCodec ofWord(String word) {
        return Arrays.stream(values()).filter(codec -> codec.name().equalsIgnoreCase(word)).findFirst().orElse(null);
    }

    public static List<String> words() {
        return Arrays.stream(values()).map(codec -> codec.name().toLowerCase(Locale.ROOT)).toList();
    }

    /** The ending of file names under these options, as Spark's. */
    static String ending(Map<String, String> options) {
        ParquetCodec codec = options.entrySet().stream().filter(each -> each.getKey().equalsIgnoreCase("compression"))
                .map(each -> ofWord(each.getValue())).findFirst().orElse(SNAPPY);
        return codec.beginning + PARQUET;
    }
}
