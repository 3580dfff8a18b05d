package io.despina.control.resource;

import com.fasterxml.jackson.databind.JsonNode;
import io.despina.control.protocol.Refusal;
import io.despina.spec.Schedule;
import java.util.ArrayList;
import java.util.List;

/** Decodes a {@code schedule} in the graph's form, for a running operator. */
public final class Schedules {
    /** The type of the schedule of a source that is held, which no user writes. */
    public static final String HELD = "held";
    private static final long NANOS_PER_MS = 1_000_000;
    /** The longest period that the clock counts. */
    private static final long MOST_MS = Long.MAX_VALUE / NANOS_PER_MS;

    private Schedules() {
    }

    public static Schedule parse(JsonNode schedule) throws Refusal {
        return switch (schedule.path("type").asText("")) {
            case "data" -> Schedule.DATA;
            case "periodic" -> new Schedule.Periodic(number(schedule, "every_ms", MOST_MS) * NANOS_PER_MS);
            case "count" -> new Schedule.Count(number(schedule, "packets", Long.MAX_VALUE));
            case "any" -> any(schedule.path("of"));
            default -> throw new Refusal("schedule", "no schedule of type " + schedule.path("type"),
                    "one of data, periodic, count, any");
        };
    }

    /** What the coordinator tells: a schedule, {@link #HELD}, or null for the one that the graph says. */
    static Schedule told(JsonNode schedule) throws Refusal {
        if (schedule == null || schedule.isNull()) {
            return null;
        }
        return schedule.path("type").asText().equals(HELD) ? new Schedule.Held() : parse(schedule);
    }

    private static Schedule any(JsonNode of) throws Refusal {
        List<Schedule> schedules = new ArrayList<>();
        for (JsonNode one : of) {
            schedules.add(parse(one));
        }
        if (schedules.isEmpty()) {
            throw new Refusal("schedule", "a schedule of type any needs at least one in `of`", null);
        }
        return new Schedule.Any(schedules);
    }

    private static long number(JsonNode schedule, String field, long most) throws Refusal {
        JsonNode value = schedule.path(field);
        if (value.isMissingNode()) {
            throw new Refusal("schedule", "`" + field + "` is missing", "a whole number from 1 to " + most);
        }
        if (!value.canConvertToLong() || value.asLong() <= 0 || value.asLong() > most) {
            throw new Refusal("schedule", field + "=" + value + " is not a number from 1 to " + most, null);
        }
        return value.asLong();
    }
}
