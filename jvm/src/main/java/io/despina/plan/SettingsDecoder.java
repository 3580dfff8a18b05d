package io.despina.plan;

import io.despina.descriptor.Diagnostics;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Values;
import io.despina.spec.Balance;
import io.despina.spec.BufferSpec;
import io.despina.spec.CompressionSpec;
import io.despina.spec.OnError;
import io.despina.spec.Schedule;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Locale;

/** Decodes fields common to graphs, links and operators. */
final class SettingsDecoder {
    private static final long NANOS_PER_MS = 1_000_000;
    private static final Settings DEFAULTS = new Settings("UTC", true,
            new Settings.KeyDealing(256, Balance.NEVER),
            BufferSpec.DEFAULT, CompressionSpec.DEFAULT, 100, 16 << 20, new Settings.Experiment(true, true));

    private SettingsDecoder() {
    }

    /** @param values null if the file's are not valid */
    static Settings settings(Values values, Diagnostics diagnostics) {
        if (values == null) {
            return DEFAULTS;
        }
        String zone = values.string("time_zone", "");
        try {
            zone = known(zone);
        } catch (DateTimeException e) {
            diagnostics.error(values.place("time_zone"), Rule.TIME_ZONE, "time zone `" + zone + "` is not known",
                    "for example UTC, Europe/Berlin, +02:00");
            zone = DEFAULTS.timeZone();     // to check the expressions all the same
        }
        return new Settings(zone, values.flag("ansi"),
                new Settings.KeyDealing((int) values.whole("buckets", 0), balance(values.fields("balance"))),
                buffer(values.fields("buffer")), compression(values.fields("compression")), values.whole("queue_target_ms", 0),
                (int) values.whole("max_packet_bytes", 0),
                new Settings.Experiment(values.flag("batch_scheduling"), values.flag("object_reuse")));
    }

    private static Balance balance(Values values) {
        return values.word().equals("never") ? Balance.NEVER
                : new Balance(values.whole("every_ms", 0), values.real("worth", 0));
    }

    static BufferSpec buffer(Values values) {
        return new BufferSpec((int) values.whole("capacity_bytes", 0), values.whole("flush_after_ms", 0) * NANOS_PER_MS,
                values.string("mode", "").equals("timed"));
    }

    static CompressionSpec compression(Values values) {
        CompressionSpec.Mode mode = CompressionSpec.Mode.valueOf(values.word().toUpperCase(Locale.ROOT));
        return new CompressionSpec(mode, mode == CompressionSpec.Mode.ENTROPY ? values.real("below_bits", 0)
                : CompressionSpec.DEFAULT.belowBits());
    }

    /** @param values null for a source, which has no schedule */
    static Schedule schedule(Values values) {
        if (values == null) {
            return Schedule.DATA;
        }
        return switch (values.word()) {
            case "periodic" -> new Schedule.Periodic(values.whole("every_ms", 0) * NANOS_PER_MS);
            case "count" -> new Schedule.Count(values.whole("packets", 0));
            case "any" -> new Schedule.Any(values.list("of").stream().map(SettingsDecoder::schedule).toList());
            default -> Schedule.DATA;
        };
    }

    static OnError onError(Values values) {
        return OnError.valueOf(values.word().toUpperCase(Locale.ROOT));
    }

    /** The zone by a name that Spark, Arrow and Python know too: an offset as {@code +02:00}, not as {@code UTC+2}. */
    private static String known(String zone) {
        ZoneId id = ZoneId.of(zone);
        if (!(id.normalized() instanceof ZoneOffset offset) || ZoneId.getAvailableZoneIds().contains(zone)) {
            return zone;
        }
        return offset.equals(ZoneOffset.UTC) ? "UTC" : offset.getId();
    }
}
