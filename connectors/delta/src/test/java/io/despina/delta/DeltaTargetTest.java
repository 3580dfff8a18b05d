package io.despina.delta;

import io.despina.connect.Connector;
import io.despina.operator.connect.LakeTargetContract;

/** A Delta table. */
class DeltaTargetTest extends LakeTargetContract {

    @Override
    protected Connector connector() {
        return new DeltaConnector();
    }

    @Override
    protected String log() {
        return "_delta_log";
    }
}
