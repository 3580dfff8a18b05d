package io.despina.wire.compress;

import net.jpountz.lz4.LZ4Compressor;
import net.jpountz.lz4.LZ4Factory;
import net.jpountz.lz4.LZ4SafeDecompressor;

/** LZ4, loaded when the first frame is compressed or decompressed: a resource that needs none starts without it. */
public final class Lz4 {
    public static final LZ4Compressor COMPRESSOR = LZ4Factory.fastestInstance().fastCompressor();
    /** Checks both bounds, so that no input makes it read or write outside. */
    public static final LZ4SafeDecompressor DECOMPRESSOR = LZ4Factory.fastestInstance().safeDecompressor();

    private Lz4() {
    }
}
