package io.despina.compare.manufacturing;

import io.despina.compare.Step;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;

/**
 * Over the 24 hours before each delay, both ends in: how many, the straight line through them, its value now, and whether this
 * delay exceeds the oldest by 1 %. Means and second moments are kept up as delays come and go.
 */
final class Trend implements Step {
    private static final long WINDOW_MICROS = TimeUnit.HOURS.toMicros(24);
    private static final double ALARM = 1.01;
    private static final double MICROS = 1e6;
    /** From it the line's x is counted, in seconds. */
    private static final long ORIGIN_MICROS = TimeUnit.SECONDS.toMicros(Instant.parse("2012-02-22T00:00:00Z").getEpochSecond());
    private static final DateTimeFormatter STAMP = DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX");

    private final String pair;
    private final ArrayDeque<byte[]> waiting = new ArrayDeque<>();
    private final ArrayDeque<byte[]> window = new ArrayDeque<>();
    private long n;
    private double meanX;
    private double meanY;
    private double spreadX;
    private double together;

    Trend(String pair) {
        this.pair = pair;
    }

    @Override
    public void accept(int input, byte[] record, Out out) {
        if (Records.kind(record) == Records.DELAY) {
            waiting.add(record);
            return;
        }
        while (!waiting.isEmpty() && Records.micros(waiting.peek()) < Records.micros(record)) {
            peers(out);
        }
        if (Records.micros(record) == Records.END) {
            out.emit(record);
        }
    }

    /** Rows of the delays that come next and share one time: each sees all of them. */
    private void peers(Out out) {
        long now = Records.micros(waiting.peek());
        ArrayDeque<byte[]> peers = new ArrayDeque<>();
        while (!waiting.isEmpty() && Records.micros(waiting.peek()) == now) {
            byte[] delay = waiting.poll();
            peers.add(delay);
            window.add(delay);
            enter(delay);
        }
        while (Records.micros(window.peek()) < now - WINDOW_MICROS) {
            leave(window.poll());
        }
        double x = x(now);
        double slope = together / spreadX;
        boolean line = n > 1 && spreadX > 0;
        for (byte[] delay : peers) {
            out.emit(Records.row(json(delay, line ? slope : Double.NaN, line ? meanY + slope * (x - meanX) : Double.NaN)));
        }
    }

    private double x(long micros) {
        return (micros - ORIGIN_MICROS) / MICROS;
    }

    private void enter(byte[] delay) {
        double x = x(Records.micros(delay));
        double y = Records.delayMicros(delay);
        n++;
        double dx = x - meanX;
        meanX += dx / n;
        meanY += (y - meanY) / n;
        spreadX += dx * (x - meanX);
        together += dx * (y - meanY);
    }

    private void leave(byte[] delay) {
        double x = x(Records.micros(delay));
        double y = Records.delayMicros(delay);
        double dx = x - meanX;
        double dy = y - meanY;
        n--;
        meanX -= dx / n;
        meanY -= dy / n;
        spreadX -= dx * (x - meanX);
        together -= (x - meanX) * dy;
    }

    private String json(byte[] delay, double slope, double trend) {
        long micros = Records.micros(delay);
        Instant at = Instant.ofEpochSecond(Math.floorDiv(micros, 1_000_000), Math.floorMod(micros, 1_000_000) * 1000);
        long delayMicros = Records.delayMicros(delay);
        return "{\"ts\":\"" + STAMP.format(at.atOffset(ZoneOffset.UTC)) + "\",\"pair\":\"" + pair + "\",\"edge\":"
                + Records.value(delay) + ",\"delay_us\":" + delayMicros + ",\"n\":" + n + ",\"slope\":" + number(slope)
                + ",\"trend_now\":" + number(trend) + ",\"alarm\":"
                + (delayMicros > ALARM * Records.delayMicros(window.peek())) + "}\n";
    }

    private static String number(double value) {
        return Double.isNaN(value) ? "null" : Double.toString(value);
    }
}
