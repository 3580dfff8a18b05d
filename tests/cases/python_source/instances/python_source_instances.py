def rows(context):
    yield context.instance, context.instances
