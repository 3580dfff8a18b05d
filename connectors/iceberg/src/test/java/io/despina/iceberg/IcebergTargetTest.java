package io.despina.iceberg;

import io.despina.ConnectorCase;
import io.despina.connect.Connector;
import io.despina.operator.connect.LakeTargetContract;

/** An Iceberg table. */
@ConnectorCase("iceberg: empty, ahead")
class IcebergTargetTest extends LakeTargetContract {

    @Override
    protected Connector connector() {
        return new IcebergConnector();
    }

    @Override
    protected String log() {
        return "metadata";
    }
}
