package io.despina.runtime.host;

import io.despina.runtime.task.FrozenInstance;
import java.util.List;

/**
 * A resource's part of an epoch: written, and prepared by its sinks.
 *
 * @param instances in the order of tasks
 */
public record FrozenEpoch(long epoch, List<FrozenInstance> instances) {

    public FrozenEpoch {
        instances = List.copyOf(instances);
    }
}
