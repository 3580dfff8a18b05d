package io.despina.runtime.task;

import java.util.Map;

/**
 * An operator instance as an epoch's barrier found it.
 *
 * @param instance  from 0
 * @param ended     whether its input had ended: it has given all its rows, and gives none when it is restored
 * @param watermark microseconds, up to which it had come
 * @param counters  what it had counted since the job's first attempt, by name
 */
public record FrozenInstance(String operator, int instance, boolean ended, long watermark, Map<String, Long> counters) {

    public FrozenInstance {
        counters = Map.copyOf(counters);
    }

    public JobSnapshots.Instance of() {
        return new JobSnapshots.Instance(operator, instance);
    }
}
