package io.despina.expr.catalyst;

import io.despina.expr.RecordFormatter;
import io.despina.expr.RecordParser;
import io.despina.expr.TextOptions;

/** Spark's own text parsers and generators on packets. */
public final class CatalystText {
    private CatalystText() {
    }

    public static RecordParser parser(TextOptions options) {
        throw new UnsupportedOperationException();
    }

    public static RecordFormatter formatter(TextOptions options) {
        throw new UnsupportedOperationException();
    }
}
