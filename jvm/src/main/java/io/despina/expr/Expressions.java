package io.despina.expr;

import io.despina.expr.catalyst.CatalystCompiler;
import io.despina.expr.catalyst.CatalystText;
import io.despina.expr.catalyst.PacketArrow;

import io.despina.packet.Schema;
import java.util.function.BooleanSupplier;

/** The way to expressions for those who must not load Spark before they need it: Catalyst is loaded by the first call. */
public final class Expressions {

    private Expressions() {
    }

    /**
     * A compiler under a graph's settings.
     *
     * @param ansi     Spark's ANSI mode
     * @param timeZone the session's time zone, for example {@code UTC} or {@code Europe/Rome}
     * @throws IllegalArgumentException if there is no such time zone
     */
    public static ExpressionCompiler compiler(boolean ansi, String timeZone) {
        return new CatalystCompiler(ansi, timeZone);
    }

    /**
     * Starts loading and warming Catalyst on a thread of its own, which ends by itself; returns at once.
     *
     * @param enough whether what is left may be left out, since real work has come
     */
    public static Thread warmUp(BooleanSupplier enough) {
        Thread thread = new Thread(() -> CatalystCompiler.warmUp(enough), "despina-warm-up");
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    /** @throws IllegalArgumentException if Spark refuses an option, in its words */
    public static RecordParser parser(TextOptions options) {
        return CatalystText.parser(options);
    }

    /** @throws IllegalArgumentException if Spark refuses an option, in its words */
    public static RecordFormatter formatter(TextOptions options) {
        return CatalystText.formatter(options);
    }

    /** @param timeZone that the time stamps' Arrow type names */
    public static ArrowRows arrow(Schema schema, String timeZone) {
        return new PacketArrow(schema, timeZone);
    }
}
