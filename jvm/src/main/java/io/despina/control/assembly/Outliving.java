package io.despina.control.assembly;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.despina.control.protocol.Refusal;
import io.despina.snapshot.RegistryAddress;

/**
 * How a job outlives its coordinator: its resources go on, and another run of it takes it over.
 *
 * @param lostMillis how long they go on without a coordinator; 0 for not at all
 * @param standsBy   whether the run waits for the end of another that has the state, and is not refused
 * @param registry   who has the job is decided there; null for in its state folder, or in the registry that this names
 */
public record Outliving(long lostMillis, boolean standsBy, RegistryAddress registry) {
    /** Resources end with their coordinator. */
    public static final Outliving NONE = new Outliving(0, false, null);
    private static final String LOST = "coordinator_lost_ms";
    private static final long LOST_MILLIS = 10_000;

    static Outliving parse(ObjectNode options) throws Refusal {
        boolean standsBy = options.path("standby").asBoolean();
        RegistryAddress registry = options.hasNonNull("registry") ? registry(options.get("registry").asText()) : null;
        if (!options.hasNonNull(LOST)) {
            return new Outliving(standsBy ? LOST_MILLIS : 0, standsBy, registry);
        }
        long millis = options.get(LOST).asLong(-1);
        if (millis <= 0) {
            throw new Refusal("options", LOST + "=" + options.get(LOST) + " is no number from 1 on", null);
        }
        return new Outliving(millis, standsBy, registry);
    }

    private static RegistryAddress registry(String given) throws Refusal {
        try {
            return RegistryAddress.of(given);
        } catch (IllegalArgumentException no) {
            String[] words = no.getMessage().split("\n", 2);
            throw new Refusal("options", words[0], words[1]);
        }
    }

    public boolean isOn() {
        return lostMillis > 0;
    }
}
