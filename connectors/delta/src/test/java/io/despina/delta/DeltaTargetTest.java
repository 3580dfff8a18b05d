package io.despina.delta;

import io.despina.ConnectorCase;
import io.despina.connect.Connector;
import io.despina.operator.connect.LakeTargetContract;

/** A Delta table. */
@ConnectorCase("delta: empty, ahead")
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
